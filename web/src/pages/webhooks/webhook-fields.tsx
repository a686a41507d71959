import type { ReactNode } from 'react';
import { EVENT_NAMES, type EventType, eventTypesOf, type Place } from '../../data/webhooks.ts';
import { CheckField, type Values } from '../../ui/form.tsx';

/** What a webhook hears of. */
export function EventFields({
  place,
  chosen,
}: {
  place: Place;
  chosen: readonly string[];
}): ReactNode {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 font-medium">It hears of</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {eventTypesOf(place).map((type) => (
          <CheckField
            key={type}
            name={type}
            label={EVENT_NAMES[type]}
            defaultChecked={chosen.includes(type)}
          />
        ))}
      </div>
    </fieldset>
  );
}

export const chosenTypes = (place: Place, values: Values): EventType[] =>
  eventTypesOf(place).filter((type) => values[type] === 'on');
