import type { Terminal } from '../output/terminal.js';
import type { AppItem } from './app-port.js';

/** An app: unchanged as JSON, as members otherwise. */
export function showApp(terminal: Terminal, app: AppItem): void {
  terminal.result(app, () => {
    for (const [name, value] of Object.entries(app)) {
      if (name === 'secret' || value === undefined) continue;
      terminal.line(
        `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2).replaceAll('\n', ' ')}`,
      );
    }
    if (typeof app.secret === 'string') {
      terminal.line(`secret: ${app.secret}`);
      terminal.note('the secret is shown only now');
    }
  });
}
