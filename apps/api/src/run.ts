import { bootstrap } from '@carillon/runtime';
import { api } from './app.js';

await bootstrap(api);
