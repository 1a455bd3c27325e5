// docs_blocks PAGE:LINE runs one block.

int main(int count, char** arguments) {
  for (const DocumentedBlock& block : blocks)
    if (count == 2 && block.name == std::string(arguments[1])) {
      block.run();
      return 0;
    }
  std::cerr << "docs_blocks: no such block\n";
  return 2;
}
