import { pushAcceptance } from './acceptance.js';

pushAcceptance('mysql', 'memory');
