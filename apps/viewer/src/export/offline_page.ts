import { base64Of } from '../stream/base64.ts';

export interface Content {
  messages: object[];
  binary: ArrayBuffer[];
  meshes: Map<number, ArrayBuffer>;
}

/** The source of the page, which carries no data yet, with data in it: it then opens no socket. */
export function pageWith(source: string, { messages, binary, meshes }: Content): string {
  const data = {
    messages,
    binary: binary.map(base64Of),
    meshes: Object.fromEntries([...meshes].map(([n, bytes]) => [n, base64Of(bytes)])),
  };
  // no tag in a text can end the element
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  const at = source.lastIndexOf('</body>');
  return `${source.slice(0, at)}<script id="ulna-data" type="application/json">${json}</script>${source.slice(at)}`;
}
