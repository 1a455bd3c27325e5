// block 1
using namespace ulna;
const Transform<double> X_WG, X_WB;
