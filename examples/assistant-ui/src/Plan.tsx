import type { Plan } from './types';

/** The steps of a longer answer. Each `data-plan` part replaces the one with its id, so this shows the progress. */
export function PlanView({ plan }: { plan: Plan }) {
  return (
    <section className="card plan" data-state={plan.state} aria-label="Plan">
      <h2>{plan.request}</h2>
      <ol>
        {plan.tasks.map(({ key, description, status }) => (
          <li key={key} data-status={status}>
            {description} <span>{status.replaceAll('_', ' ')}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
