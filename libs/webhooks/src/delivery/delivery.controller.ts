import { queueNames } from '@carillon/contracts';
import type { Job, Settlement } from '@carillon/queue';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { Delivery } from './delivery.js';
import { WEBHOOK_DELIVERY, WEBHOOK_TRANSPORT } from './tokens.js';

/** Jobs of webhooks, from the queue. */
@Controller()
export class DeliveryController {
  constructor(@Inject(WEBHOOK_DELIVERY) private readonly delivery: Delivery) {}

  @EventPattern(queueNames.webhooks, WEBHOOK_TRANSPORT)
  handle(@Payload() job: Job): Promise<Settlement | void> {
    return this.delivery.handle(job);
  }
}
