import { h } from '../util/dom.ts';
import type { Context } from './page.ts';

const mostBytes = 4 * 2 ** 20;

/** Descriptions come in by a drop anywhere on the page, or by a file chooser, which is returned. */
export function dropTarget({ session, send }: Context): () => void {
  const sign = h(
    'div',
    { class: 'dropping', hidden: true },
    'Drop a robot description to check and show it',
  );
  const input = h('input', {
    type: 'file',
    accept: '.urdf,.xml,.xacro,.sdf,.mjcf,.yaml,.yml',
    hidden: true,
  });
  document.body.append(sign, input);
  let depth = 0; // of elements that the file is dragged over

  const check = async (file: File): Promise<void> => {
    if (!session.can('check'))
      session.error.value = 'Checking needs a server: start one with `ulna view`.';
    else if (file.size > mostBytes)
      session.error.value = `${file.name} has more than 4 MiB: check it with \`ulna check\`.`;
    else if (!send({ type: 'check', name: file.name, text: await file.text(), request: 0 }))
      session.error.value = 'There is no connection to the server.';
  };
  const carriesFile = (event: DragEvent): boolean =>
    event.dataTransfer?.types.includes('Files') ?? false;
  document.addEventListener('dragenter', (event) => {
    if (!carriesFile(event)) return;
    depth++;
    sign.hidden = false;
  });
  document.addEventListener('dragleave', (event) => {
    if (carriesFile(event)) sign.hidden = --depth > 0 ? false : true;
  });
  document.addEventListener('dragover', (event) => {
    if (carriesFile(event)) event.preventDefault();
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    depth = 0;
    sign.hidden = true;
    const file = event.dataTransfer?.files[0];
    if (file) void check(file);
  });
  input.addEventListener('change', () => {
    if (input.files?.[0]) void check(input.files[0]);
    input.value = '';
  });
  return () => input.click();
}
