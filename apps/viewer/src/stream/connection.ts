import { Signal } from '../util/signal.ts';

export type Status = 'connecting' | 'open' | 'lost' | 'none';

/** The WebSocket to the server; opens again by itself after a loss, the later the more often it fails. */
export class Connection {
  readonly status = new Signal<Status>('connecting');
  private socket: WebSocket | null = null;
  private failures = 0;

  constructor(
    private readonly url: string,
    private readonly onText: (text: string) => void,
    private readonly onBinary: (buffer: ArrayBuffer) => void,
  ) {
    this.open();
  }

  send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private open(): void {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.failures = 0;
      this.status.value = 'open';
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.onText(data);
      else this.onBinary(data as ArrayBuffer);
    };
    socket.onclose = () => {
      this.status.value = 'lost';
      const wait = Math.min(500 * 2 ** this.failures++, 5000);
      setTimeout(() => this.open(), wait);
    };
  }
}
