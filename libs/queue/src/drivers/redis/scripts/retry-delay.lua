-- FNV-1a-64 as a part of 1, in two 32-bit halves; the same as `fnvFraction`.
local function fnv_fraction(text)
  local high, low = 0xcbf29ce4, 0x84222325
  for i = 1, #text do
    local last = low % 256
    local mixed = low - last + bit.bxor(last, string.byte(text, i))
    local product = mixed * 0x1b3
    high = (high * 0x1b3 + math.floor(product / 4294967296) + (mixed * 256) % 4294967296) % 4294967296
    low = product % 4294967296
  end
  return high / 4294967296 + low / 18446744073709551616
end

-- The same as `retryDelayMs`. Needs: retry_base_delay_ms, retry_max_delay_ms, retry_jitter.
local function retry_delay_ms(id, attempt)
  local wait = math.min(retry_base_delay_ms * 2 ^ math.min(attempt - 1, 62), retry_max_delay_ms)
  local fraction = fnv_fraction(id .. ':' .. string.format('%d', attempt))
  local varied = wait * (1 - retry_jitter + 2 * retry_jitter * fraction)
  return math.min(math.floor(varied), retry_max_delay_ms)
end
