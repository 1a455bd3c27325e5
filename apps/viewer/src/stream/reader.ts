/**
 * Readers of JSON: each checks a value that came from outside and returns it with its type, or
 * throws Malformed with the place. Types of messages follow from their readers, so that what is
 * checked and what is declared cannot differ.
 */
export type Reader<T> = (value: unknown, at: string) => T;
export type Read<R> = R extends Reader<infer T> ? T : never;

export class Malformed extends Error {}

function fail(at: string, wanted: string): never {
  throw new Malformed(`${at || 'message'}: ${wanted} expected`);
}

export const text: Reader<string> = (value, at) =>
  typeof value === 'string' ? value : fail(at, 'text');

export const flag: Reader<boolean> = (value, at) =>
  typeof value === 'boolean' ? value : fail(at, 'true or false');

/** JSON has no NaN and no infinity: null is read as NaN. */
export const number: Reader<number> = (value, at) =>
  typeof value === 'number' ? value : value === null ? NaN : fail(at, 'a number');

export const finite: Reader<number> = (value, at) =>
  typeof value === 'number' && Number.isFinite(value) ? value : fail(at, 'a number');

export const index: Reader<number> = (value, at) =>
  typeof value === 'number' && Number.isInteger(value) && value >= -1 && value < 1e6
    ? value
    : fail(at, 'an index');

export function list<T>(of: Reader<T>, size?: number): Reader<T[]> {
  return (value, at) => {
    if (!Array.isArray(value) || (size !== undefined && value.length !== size))
      return fail(at, size === undefined ? 'a list' : `a list of ${size}`);
    return value.map((entry, i) => of(entry, `${at}[${i}]`));
  };
}

export const vector = list(finite, 3) as Reader<[number, number, number]>;
export const quaternion = list(finite, 4) as Reader<[number, number, number, number]>;
export type PoseNumbers = [number, number, number, number, number, number, number];
export const pose = list(finite, 7) as Reader<PoseNumbers>;

export function record<F extends Record<string, Reader<unknown>>>(
  fields: F,
): Reader<{ [K in keyof F]: Read<F[K]> }> {
  return (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return fail(at, 'an object');
    const given = value as Record<string, unknown>;
    const result: Record<string, unknown> = {};
    for (const [name, read] of Object.entries(fields))
      result[name] = read(given[name], at ? `${at}.${name}` : name);
    return result as { [K in keyof F]: Read<F[K]> };
  };
}

/** A field that may be absent or null. */
export function or<T>(read: Reader<T>, otherwise: NoInfer<T>): Reader<T> {
  return (value, at) => (value === undefined || value === null ? otherwise : read(value, at));
}
export function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (value, at) => (value === undefined || value === null ? null : read(value, at));
}

export function oneOf<const T extends string>(...names: T[]): Reader<T> {
  return (value, at) => (names.includes(value as T) ? (value as T) : fail(at, names.join(', ')));
}
