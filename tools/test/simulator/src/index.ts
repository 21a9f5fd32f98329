export { main } from './run/command.js';
export { isSimulated } from './run/cores.js';
