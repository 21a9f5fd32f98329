import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { sqsName } from '../src/drivers/sqs/queues.js';
import { messageBody, textOfBody } from '../src/drivers/aws/texts.js';
import { brokerFailures } from './broker-failures.js';
import { sqsScene } from './sqs-scene.js';

brokerFailures('sqs', (handle) => sqsScene(false, handle), { engineName: 'elasticmq', keepsJobs: false });

it('sqs: any text becomes one that SQS takes, and itself again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const body = messageBody(text);
      expect(body).toMatch(/^[\t\n\u0020-\uFFFD]*$/);
      expect(textOfBody(body)).toBe(text);
    }),
  );
  expect(messageBody('{"an":"ordinary","text":"é"}\n')).toBe('{"an":"ordinary","text":"é"}\n');
});

it('sqs: names of queues that it does not take never become one', () => {
  const queues = ['a.b', 'a-b', 'a_2Db', 'a_b', 'a b', 'A.b', 'é', 'x'.repeat(50), 'x'.repeat(51)];
  const names = queues.map((queue) => sqsName(queue));
  expect(new Set(names).size).toBe(queues.length);
  for (const name of names) expect(name).toMatch(/^[\w-]{1,50}$/);
  expect(sqsName('push.publish.v1')).toBe('push-publish-v1');
});
