-- The clock of the server, the only one all workers share.
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- A whole number as text: Lua by itself writes large ones with an exponent.
local function whole(number) return string.format('%.0f', number) end
