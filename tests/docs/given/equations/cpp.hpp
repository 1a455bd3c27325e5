// block 1
const ulna::Model model = ulna::load_robot("double_pendulum").model;
