import { changing } from './changing.js';
import { channels, grouping } from './channels.js';
import { lettingIn } from './letting-in.js';
import { forgetting, remembering, returning } from './past.js';
import { people } from './people.js';
import { inEveryFormat, kept, passing, type Place, type Served } from './place.js';
import { refusing } from './refusing.js';
import { speaking } from './speaking.js';

/** What holds for channels of both kinds. */
function always(place: Place): void {
  speaking(place);
  lettingIn(place);
  channels(place);
  returning(place);
}

/** Everything of protocol 2, in every format, with a history and without one. */
export function protocol2(served: Served): void {
  inEveryFormat('kept channels', served, kept, (place) => {
    always(place);
    remembering(place);
    changing(place);
    grouping(place);
    refusing(place);
    people(place);
  });
  inEveryFormat('passing channels', served, passing, (place) => {
    always(place);
    forgetting(place);
  });
}
