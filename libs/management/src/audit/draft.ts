import { changesOf } from './changes.js';

/** What a handler adds to the audit entry of its request. */
export class AuditDraft {
  appId: string | null;
  target: string | null;
  before: unknown = null;
  after: unknown = null;

  constructor(appId: string | null, target: string | null = appId) {
    this.appId = appId;
    this.target = target;
  }

  /** Notes the changed members of a value. Values that must not be logged are redacted by the caller. */
  changed(before: unknown, after: unknown): void {
    const changes = changesOf(before, after);
    this.before = changes.before;
    this.after = changes.after;
  }
}
