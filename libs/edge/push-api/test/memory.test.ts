import { pushAcceptance } from './acceptance.js';

pushAcceptance('memory', 'memory');
