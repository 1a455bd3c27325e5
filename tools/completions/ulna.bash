# Completion of the command ulna for bash.

_ulna() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local verbs="check info tree convert fk id fd terms equations ik count compare simplify codegen excite identify simulate mpc drive rig view robots help"
  local shared="--help --json --color"
  local import="--arg --package --floating-base --independent-mimics --strict"
  local options robots=
  COMPREPLY=()

  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$verbs --help --version" -- "$word"))
    return
  fi
  case $before in
    --color)
      COMPREPLY=($(compgen -W "auto always never" -- "$word"))
      return ;;
    --to)
      COMPREPLY=($(compgen -W "urdf sdf mjcf" -- "$word"))
      return ;;
    --axes)
      COMPREPLY=($(compgen -W "local world aligned" -- "$word"))
      return ;;
    --kind)
      COMPREPLY=($(compgen -W "fourier bspline" -- "$word"))
      return ;;
    --integrator)
      COMPREPLY=($(compgen -W "euler semi-implicit-euler midpoint rk4 adaptive" -- "$word"))
      return ;;
    --package)
      compopt -o nospace 2>/dev/null
      return ;;
    --torque)
      COMPREPLY=($(compgen -W "zero gravity pd" -- "$word") $(compgen -f -- "$word"))
      return ;;
    --period | --step | --target | --bandwidth | --friction-scale | --vary | --noise-q | --noise-qd | --noise-tau | --quantum | --delay | --dropout | --duration | --rate | --harmonics | --limits | --acceleration | --payload | --radius | --distance | --floor | --starts | --iterations | --seconds)
      return ;;
    --method)
      COMPREPLY=($(compgen -W "ols wls irls tls ridge consistent" -- "$word"))
      return ;;
    --friction)
      COMPREPLY=($(compgen -W "viscous coulomb offset none" -- "$word"))
      return ;;
    --arg | --terms | --let | --lock | --chain | --q | --qd | --qdd | --tau | --gravity | --frame | --xyz | --rpy | --quat | --start | --restarts | --seed | --n | --states | --tolerance | --other | --functions | --port | --density | --simulate | --split | --address | --hold | --scale | --wait | --watchdog | --core | --mistake | --folds | --filter | --gain)
      return ;;
  esac

  case ${COMP_WORDS[1]} in
    check) options="--arg --package --strict --no-notes --quiet --fix --density --out --force --rules" robots=yes ;;
    info) options="$import --frames" robots=yes ;;
    tree) options="$import --ascii --dot" robots=yes ;;
    convert) options="$import --to --lock --chain --lump --force" robots=yes ;;
    fk) options="$import --q --frame --open-loops" robots=yes ;;
    id) options="$import --q --qd --qdd --gravity --no-friction --open-loops" robots=yes ;;
    fd) options="$import --q --qd --tau --gravity --no-friction --open-loops" robots=yes ;;
    terms) options="$import --q --qd --frame --axes --gravity --open-loops" robots=yes ;;
    equations) options="$import --gravity --terms --text --latex --c --numeric --short --let --lump" robots=yes ;;
    ik) options="$import --frame --xyz --rpy --quat --start --position-only --restarts --seed --open-loops" robots=yes ;;
    count) options="$import --n --svg --force" robots=yes ;;
    compare) options="$import --gravity --states --seed" robots=yes ;;
    simplify) options="$import --gravity --tolerance --other --svg --html --force" robots=yes ;;
    codegen) options="$import --gravity --functions --out --float --lanes --parameters --force" robots=yes ;;
    excite) options="$import --gravity --duration --rate --kind --harmonics --limits --acceleration --friction --armature --no-armature --torque-sensors --fast --fastest --payload --radius --distance --floor --no-collision --seed --starts --iterations --seconds --out --plot --force" robots=yes ;;
    identify) options="$import --gravity --validate --split --folds --filter --delay --gain --friction --armature --no-armature --ratios --late --usual --prior --method --payload --loaded --known-payload --base-held --essential --online --all --out --report --force" robots=yes ;;
    simulate) options="$import --q --qd --gravity --no-friction --open-loops --duration --period --integrator --step --tolerance --torque --picture --follow --target --bandwidth --no-limits --ground --friction --payload --friction-scale --vary --noise-q --noise-qd --noise-tau --quantum --delay --dropout --differences --seed --out --plot --force" robots=yes ;;
    mpc) options="$import --gravity --demo --duration --rate --steps --goal --reach --rest --payload --payload-at --vary --law --knowledge --drives --plant --supervise --seed --live --port --open --report --plot --force" robots=yes ;;
    drive) options="$import --address --checks --goal --motion --identify --hold --scale --rate --steps --no-identify --duration --wait --watchdog --core --usual-scheduling --live --port --record --out --force" robots=yes ;;
    rig) options="$import --address --q --rate --watchdog --plant --friction --payload --mistake --seed --core --duration" robots=yes ;;
    view) options="$import --gravity --q --log --simulate --torque --port --open --html --force" robots=yes ;;
    robots) options="--names" robots=only ;;
    help)
      COMPREPLY=($(compgen -W "$verbs" -- "$word"))
      return ;;
    *) return ;;
  esac

  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options $shared" -- "$word"))
    return
  fi
  COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" robots --names 2>/dev/null)" -- "$word"))
  if [[ $robots == yes ]]; then
    local IFS=$'\n'
    COMPREPLY+=($(compgen -f -- "$word"))
    type compopt &>/dev/null && compopt -o filenames 2>/dev/null
  fi
  return 0
}

complete -F _ulna ulna
