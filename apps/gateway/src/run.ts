import { bootstrap } from '@carillon/runtime';
import { gateway } from './app.js';

await bootstrap(gateway);
