/** The panel of facets: values with live counts, several at once. */

import { useState } from "preact/hooks";
import { formatCount } from "../lib/format";
import { makeVisible } from "../lib/text";
import type { Facet } from "../lib/types";

const FIRST = 8; // values of a facet before "Show all"

interface Props {
  facets: readonly Facet[];
  counts: ReadonlyMap<string, Uint32Array> | null; // null: nothing is chosen
  chosen: (name: string) => readonly string[];
  onToggle: (name: string, value: string) => void;
}

export function FacetPanel({ facets, counts, chosen, onToggle }: Props) {
  return (
    <div class="facets">
      {facets
        .filter((facet) => facet.values.some((value) => value.value !== ""))
        .map((facet) => (
          <FacetList
            key={facet.name}
            facet={facet}
            counts={counts?.get(facet.name) ?? null}
            chosen={chosen(facet.name)}
            onToggle={(value) => onToggle(facet.name, value)}
          />
        ))}
    </div>
  );
}

interface ListProps {
  facet: Facet;
  counts: Uint32Array | null;
  chosen: readonly string[];
  onToggle: (value: string) => void;
}

function FacetList({ facet, counts, chosen, onToggle }: ListProps) {
  const [all, setAll] = useState(false);
  const order = facet.values.map((_, at) => at).sort((one, two) => count(facet, two) - count(facet, one));
  const isChosen = (at: number) => chosen.includes(facet.values[at]?.value ?? "");
  const shown = all ? order : order.filter((at, rank) => rank < FIRST || isChosen(at));
  const most = Math.max(1, ...facet.values.map((value) => value.count));
  return (
    <fieldset>
      <legend>{makeVisible(facet.title)}</legend>
      {shown.map((at) => {
        const value = facet.values[at];
        if (value === undefined) return null;
        const now = counts === null ? value.count : (counts[at] ?? 0);
        return (
          <label key={value.value} class={now === 0 ? "facet none" : "facet"}>
            <input type="checkbox" checked={isChosen(at)} onChange={() => onToggle(value.value)} />
            <bdi class={value.tone === undefined || value.tone === null ? "name" : `name kind ${value.tone}`}>
              {value.title === "" ? "none" : makeVisible(value.title)}
            </bdi>
            <span class="n">{formatCount(now)}</span>
            <svg class="share" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
              <rect class="all" width={(100 * value.count) / most} height="2" />
              <rect class="now" width={(100 * now) / most} height="2" />
            </svg>
          </label>
        );
      })}
      {order.length > shown.length || all ? (
        <button type="button" class="plain" onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `Show all ${formatCount(order.length)}`}
        </button>
      ) : null}
    </fieldset>
  );
}

function count(facet: Facet, at: number): number {
  return facet.values[at]?.count ?? 0;
}
