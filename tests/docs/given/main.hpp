// docs_blocks PAGE:LINE runs one block.

int main(int count, char** arguments) {
  for (const DocumentedBlock& block : blocks)
    if (count == 2 && block.name == std::string(arguments[1])) {
      block.run();
      return 0;
    }
  std::cerr << "docs_blocks: no such block; if the page has changed, build docs_blocks again\n";
  return 2;
}
