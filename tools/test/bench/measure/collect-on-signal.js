// Loaded into a server whose memory is to be read: SIGUSR2 makes it collect its garbage. It goes through the inspector
// because that, unlike `gc()`, also gives the emptied pages back to the system.
import { Session } from 'node:inspector';

const session = new Session();
session.connect();
process.on('SIGUSR2', () => session.post('HeapProfiler.collectGarbage'));
