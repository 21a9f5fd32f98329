import { pushAcceptance } from './acceptance.js';

pushAcceptance('postgres', 'redis');
