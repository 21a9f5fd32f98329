export { BrowserPush, type BrowserPushOptions, recipientOf } from './browser.js';
export {
  type DeviceDetails,
  type DeviceParts,
  type DeviceStorage,
  PushDevice,
  type Recipient,
} from './device.js';
export { handlePush, PUSH_CHANGED, PUSH_MESSAGE, type PushPayload } from './handler.js';
