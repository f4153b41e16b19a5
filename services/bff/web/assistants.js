/** Whom a conversation is led with, and what people ask there first. */

export const ASSISTANTS = {
  site: {
    label: 'Solar site',
    about: 'Ask about power, energy, money or health of your site, or begin here.',
    hint: 'Ask about your site…',
    starts: [
      ['sunrise', 'Morning briefing', 'The fleet at a glance, and what needs attention', 'Morning briefing'],
      ['coins', 'Financial report', 'What you saved, and what the coming days promise', 'Financial report'],
      ['bars', 'Performance audit', 'Inverters side by side on power or energy', 'Performance audit'],
      ['pulse', 'Health check', 'Outages and anomalies, with what they cost', 'Health check'],
    ],
  },
  data: {
    label: 'Database',
    about: 'Ask the business database in your own words, or begin here.',
    hint: 'Ask about your data…',
    starts: [
      ['table', 'Active technicians', 'A figure from two joined tables', 'How many technicians are active?'],
      ['bars', 'Open work orders', 'Counted by status, as a chart', 'How many work orders are open, by status?'],
      ['clock', 'Overtime', 'Who worked more than planned last week', 'Who worked overtime last week?'],
      ['info', 'The manual', 'How something is done, with its source', 'What are the overtime rules?'],
    ],
  },
  analyst: {
    label: 'Shipping analyst',
    about: 'Ask about shipments, vessels, ports and containers. You see the plan first, and are asked when something is unclear.',
    hint: 'Ask about your shipments…',
    starts: [
      ['list', 'Shipments to a port', 'Planned, searched and summed up', 'Show shipments to Miami last week'],
      ['clock', 'Late arrivals', 'How long, by carrier', 'Average delay by carrier'],
      ['info', 'One vessel', 'Where it is and what it carries', 'Show me the vessel MSC ANNA'],
      ['bars', 'Containers', 'Counted by status', 'How many containers are there by status?'],
    ],
  },
  advisor: {
    label: 'Documents',
    about: 'Ask what your documents say, and what the connected service knows of you.',
    hint: 'Ask your documents…',
    starts: [
      ['info', 'Scopes', 'What the guide says, with its source', 'What is the difference between scope 1 and scope 2 emissions?'],
      ['table', 'My inventories', 'Read with your own rights', 'Which inventories do I have?'],
      ['bars', 'Emissions of a city', 'By sector', 'Show the emissions of Port Meridian by sector'],
      ['chat', 'What to do', 'Records and advice together', 'How can we reduce the transport emissions of Port Meridian?'],
    ],
  },
};

/** The assistant of a conversation; whoever names none talks about the site. */
export function assistantOf(conversation) {
  return ASSISTANTS[conversation?.assistant] ?? ASSISTANTS.site;
}
