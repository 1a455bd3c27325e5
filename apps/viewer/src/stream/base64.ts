export function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

export function base64Of(buffer: ArrayBuffer): string {
  const bytes = new Uint8Array(buffer);
  let text = '';
  const piece = 0x8000; // as many arguments as every engine takes
  for (let i = 0; i < bytes.length; i += piece)
    text += String.fromCharCode(...bytes.subarray(i, i + piece));
  return btoa(text);
}
