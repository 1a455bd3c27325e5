const kinds = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];

/** Records what the canvas shows until it is stopped. Throws where the browser cannot. */
export function recordVideo(canvas: HTMLCanvasElement): { blob: Promise<Blob>; stop: () => void } {
  const mimeType =
    typeof MediaRecorder === 'undefined'
      ? undefined
      : kinds.find((kind) => MediaRecorder.isTypeSupported(kind));
  if (!mimeType) throw new Error('this browser records no WebM');
  const recorder = new MediaRecorder(canvas.captureStream(60), {
    mimeType,
    videoBitsPerSecond: 12e6,
  });
  const pieces: Blob[] = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  const blob = new Promise<Blob>((done, fail) => {
    recorder.onstop = () => done(new Blob(pieces, { type: 'video/webm' }));
    recorder.onerror = () => fail(new Error('the recording broke off'));
  });
  recorder.start(250);
  return { blob, stop: () => recorder.state !== 'inactive' && recorder.stop() };
}
