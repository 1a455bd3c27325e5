import { decodeMesh, type Mesh } from './binary.ts';

/** Meshes by number, each fetched once; an export takes their bytes along. */
export class Meshes {
  private readonly bytes = new Map<number, Promise<ArrayBuffer | null>>();

  constructor(private readonly fetchBytes: (mesh: number) => Promise<ArrayBuffer | null>) {}

  /** Numbers mean other meshes after a new scene. */
  forget(): void {
    this.bytes.clear();
  }

  async get(mesh: number): Promise<Mesh | null> {
    const bytes = await this.load(mesh);
    return bytes && decodeMesh(bytes);
  }

  async raw(): Promise<Map<number, ArrayBuffer>> {
    const all = new Map<number, ArrayBuffer>();
    for (const [mesh, bytes] of this.bytes) {
      const there = await bytes;
      if (there) all.set(mesh, there);
    }
    return all;
  }

  private load(mesh: number): Promise<ArrayBuffer | null> {
    let bytes = this.bytes.get(mesh);
    if (!bytes) this.bytes.set(mesh, (bytes = this.fetchBytes(mesh).catch(() => null)));
    return bytes;
  }
}
