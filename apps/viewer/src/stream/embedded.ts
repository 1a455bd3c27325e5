import { Malformed, list, or, record, text, type Read, type Reader } from './reader.ts';

const object: Reader<Record<string, unknown>> = (value, at) => {
  if (typeof value !== 'object' || value === null) throw new Malformed(`${at}: an object expected`);
  return value as Record<string, unknown>;
};
const content = record({
  messages: list(object),
  binary: or(list(text), []),
  meshes: or(object, {}),
});
export type Embedded = Read<typeof content>;

/** Takes out of the page what it carries instead of a server; null if it carries nothing. */
export function embedded(): Embedded | null {
  const element = document.getElementById('ulna-data');
  element?.remove();
  return element ? content(JSON.parse(element.textContent ?? ''), 'ulna-data') : null;
}
