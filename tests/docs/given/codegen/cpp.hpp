// block 2
using namespace ulna::codegen;
const Traced id = trace(model, RobotFunction::id);
const Traced energy = [] {
  Tracer tracer("energy");
  const auto q = tracer.input("q", 2);
  tracer.output("E", Tracer::Column::Constant(1, q(0) * q(0) + q(0) * q(1)));
  return tracer.finish();
}();
Tracer tracer("product");
const auto x = tracer.input("x", 2);
const Expression y = x(0) * x(1);
