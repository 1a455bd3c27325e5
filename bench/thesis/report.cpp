// Turns thesis.json into the tables, findings and plots of docs/thesis.md.

#include "report.hpp"

#include <iostream>

namespace thesis {
namespace {

void run(const std::string& json, const std::vector<std::string>& documents) {
  const Bench bench = report::read(json);
  Page page;
  page.sections["setting"] = report::setting(bench);
  add_robots(bench, page);
  add_growth(bench, page);
  add_identification(bench, page);
  page.sections["summary"] =
      report::table({"finding of the thesis", "where", "here", "measured"}, page.summary);

  if (documents.empty()) {
    for (const auto& [name, words] : page.sections) std::cout << "\n" << name << "\n\n" << words;
    return;
  }
  for (const std::string& document : documents) report::fill(document, page.sections);
  const std::string stem = documents.front().substr(0, documents.front().rfind('.'));
  for (const auto& [name, svg] : page.plots)
    if (!svg.empty()) report::write(stem + "-" + name + ".svg", svg);
}

}  // namespace
}  // namespace thesis

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "ulna_thesis_report <thesis.json> [document.md]...\n\nPrints tables and findings; "
                 "with documents, fills them in and draws the plots beside the first.\n";
    return 2;
  }
  try {
    thesis::run(argv[1], {argv + 2, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
