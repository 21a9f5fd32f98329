-- Needs: events, event_retention. Never fails: an event less is better than half a transition.
local function record(event, id)
  if event_retention > 0 then
    redis.pcall('XADD', events, 'MAXLEN', '~', event_retention, '*', 'event', event, 'job_id', id)
  end
end
