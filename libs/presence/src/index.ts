export {
  type JoinOutcome,
  type LeaveCause,
  type Member,
  type Presence,
  type PresenceChange,
  type PresenceObserver,
  type PresencePlace,
  type Presentation,
} from './port.js';
