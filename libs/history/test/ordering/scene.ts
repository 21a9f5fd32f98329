import { ChannelOrder, type Head, type OrderedRecord, type Step } from '../../src/index.js';

export const recordOf = (serial: number, streamId = 's-1', messageId = `m-${serial}`): OrderedRecord => ({
  streamId,
  serial,
  messageId,
});

/** A gateway's hold on one channel: does what it is told, and remembers. */
export class OrderScene {
  readonly delivered: OrderedRecord[] = [];
  readonly told: string[] = [];
  readonly order: ChannelOrder<OrderedRecord>;
  nowMs = 0;

  constructor() {
    this.order = new ChannelOrder({
      delivered: (serial) =>
        this.delivered.findLast(
          (record) => record.serial === serial && record.streamId === this.order.position?.streamId,
        )?.messageId,
    });
  }

  get serials(): number[] {
    return this.delivered.map(({ serial }) => serial);
  }

  begin(serial: number, streamId = 's-1'): void {
    this.do(this.order.begun({ streamId, serial }, this.nowMs));
  }

  receive(...serials: number[]): void {
    for (const serial of serials) this.do(this.order.received(recordOf(serial), this.nowMs));
  }

  check(head: Head, then: Head | null = this.order.position): void {
    this.do(this.order.checked(head, then, this.nowMs));
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.do(this.order.passed(this.nowMs));
  }

  do(steps: readonly Step<OrderedRecord>[]): void {
    for (const step of steps) {
      if (step.do === 'deliver') this.delivered.push(step.record);
      else if (step.do === 'read_head') this.told.push('read head');
      else if (step.do === 'regressed') this.told.push(`regressed from ${step.seenSerial}`);
      else this.told.push(`${step.do} ${step.fromSerial}-${step.toSerial}`);
    }
  }
}
