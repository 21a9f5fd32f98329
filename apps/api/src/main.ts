import { launch } from '@carillon/runtime/launch';

await launch(() => import('./run.js'));
