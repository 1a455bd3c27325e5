#include "simulate/arkode.hpp"

#include <algorithm>
#include <vector>

bool ulna::has_adaptive() { return ULNA_WITH_SUNDIALS; }

#if ULNA_WITH_SUNDIALS

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

namespace ulna::detail {

/// What SUNDIALS is made of, from its first part on.
struct Arkode::Parts {
  ~Parts() {
    if (memory) ERKStepFree(&memory);
    if (y) N_VDestroy(y);
    if (context) SUNContext_Free(&context);
  }
  static int flag(EventSystem::Rate rate) {
    return rate == EventSystem::Rate::good ? 0 : rate == EventSystem::Rate::too_far ? 1 : -1;
  }
  static int rate(double, N_Vector at, N_Vector out, void* self) noexcept {
    return flag(
        static_cast<Parts*>(self)->system->rate(N_VGetArrayPointer(at), N_VGetArrayPointer(out)));
  }
  static int roots(double, N_Vector at, double* distance, void* self) noexcept {
    return flag(static_cast<Parts*>(self)->system->roots(N_VGetArrayPointer(at), distance));
  }

  SUNContext context = nullptr;
  N_Vector y = nullptr;
  void* memory = nullptr;
  EventSystem* system = nullptr;
  double last_step = infinity;
  int numbers = 0;
  std::vector<int> found;
};

Arkode::Arkode(int numbers, const AdaptiveOptions& options) : parts_(std::make_unique<Parts>()) {
  Parts& s = *parts_;
  s.numbers = numbers;
  bool ready = SUNContext_Create(nullptr, &s.context) == 0 &&
               (s.y = N_VNew_Serial(numbers, s.context)) != nullptr;
  if (ready) N_VConst(0.0, s.y);
  ready = ready && (s.memory = ERKStepCreate(&Parts::rate, 0.0, s.y, s.context)) != nullptr &&
          ERKStepSetErrHandlerFn(
              s.memory, [](int, const char*, const char*, char*, void*) {}, &s) == ARK_SUCCESS &&
          ERKStepSetUserData(s.memory, &s) == ARK_SUCCESS &&
          ERKStepSetOrder(s.memory, options.order) == ARK_SUCCESS &&
          ERKStepSStolerances(s.memory, options.relative, options.absolute) == ARK_SUCCESS;
  if (!ready) throw std::runtime_error("simulation: SUNDIALS cannot be set up");
}
Arkode::~Arkode() = default;

Arkode::Result Arkode::go(EventSystem& system, int roots, double* y, double duration,
                          const Steps& steps, double& gone) {
  Parts& s = *parts_;
  s.system = &system;
  double* const numbers = N_VGetArrayPointer(s.y);
  std::copy_n(y, s.numbers, numbers);
  if (s.found.size() != static_cast<std::size_t>(roots)) {
    s.found.assign(static_cast<std::size_t>(roots), -1);
    if (ERKStepRootInit(s.memory, roots, &Parts::roots) != ARK_SUCCESS ||
        ERKStepSetRootDirection(s.memory, s.found.data()) != ARK_SUCCESS ||
        ERKStepSetNoInactiveRootWarn(s.memory) != ARK_SUCCESS)
      return Result::failed;
  }
  if (ERKStepReInit(s.memory, &Parts::rate, 0.0, s.y) != ARK_SUCCESS ||
      ERKStepSetInitStep(s.memory, std::min({s.last_step, duration, steps.first})) != ARK_SUCCESS ||
      ERKStepSetMaxStep(s.memory, steps.longest) != ARK_SUCCESS ||
      ERKStepSetStopTime(s.memory, duration) != ARK_SUCCESS ||
      ERKStepSetMaxNumSteps(s.memory, steps.most) != ARK_SUCCESS)
    return Result::failed;
  const int flag = ERKStepEvolve(s.memory, duration, s.y, &gone, ARK_NORMAL);
  if (flag < 0 && flag != ARK_TOO_MUCH_WORK) return Result::failed;
  ERKStepGetCurrentStep(s.memory, &s.last_step);
  std::copy_n(numbers, s.numbers, y);
  if (flag == ARK_TOO_MUCH_WORK) return Result::tired;
  if (flag != ARK_ROOT_RETURN) return Result::arrived;
  ERKStepGetRootInfo(s.memory, s.found.data());
  return Result::root;
}

bool Arkode::found(int root) const { return parts_->found[static_cast<std::size_t>(root)] != 0; }

}  // namespace ulna::detail

#else

namespace ulna::detail {

struct Arkode::Parts {};
Arkode::Arkode(int, const AdaptiveOptions&) {
  throw std::runtime_error(
      "simulation: this ulna was built without SUNDIALS, so there are no adaptive steps; use fixed "
      "ones, or install libsundials-dev and build again");
}
Arkode::~Arkode() = default;
Arkode::Result Arkode::go(EventSystem&, int, double*, double, const Steps&, double&) {
  return Result::failed;
}
bool Arkode::found(int) const { return false; }

}  // namespace ulna::detail

#endif
