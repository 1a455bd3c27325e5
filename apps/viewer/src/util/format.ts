/** A number for people: as many digits as asked for, none that mean nothing, a true minus sign. */
export function fixed(x: number, digits: number): string {
  if (!Number.isFinite(x)) return '–';
  const text = x.toFixed(digits);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

/** With three significant digits, in SI prefixes if very small or large. */
export function significant(x: number, digits = 3): string {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text =
    size >= 1e6 || size < 1e-4
      ? x.toExponential(digits - 1)
      : String(Number(x.toPrecision(digits)));
  return text.replace('-', '−');
}

export const degrees = (radians: number): number => (radians * 180) / Math.PI;
export const radians = (degrees: number): number => (degrees * Math.PI) / 180;
export const clamp = (x: number, low: number, high: number): number =>
  Math.min(Math.max(x, low), high);
