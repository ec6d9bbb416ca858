using Faster.Contracts;

namespace Faster.Crash.Swarm;

/// <summary>Reads everything that a store holds.</summary>
internal static class SwarmLook
{
    /// <summary>By a scan.</summary>
    /// <param name="store">The store.</param>
    /// <param name="asOf">The commit whose state is read; null for the live state.</param>
    /// <returns>Null if that state is no longer available.</returns>
    public static async Task<Dictionary<int, SwarmFound>?> ScanAsync(SwarmStore store, Commit? asOf)
    {
        var found = new Dictionary<int, SwarmFound>();
        try
        {
            await foreach ((int key, SwarmFound value) in store.Scans
                .ScanAsync(new ScanOptions { AsOf = asOf, TableMemory = ByteSize.MiB(1) }, Decode, default)
                .ConfigureAwait(false))
            {
                if (!found.TryAdd(key, value))
                    throw new SwarmViolation(SwarmFault.LiveState, $"A scan of live records gives key {key} twice.");
            }
        }
        catch (FasterException e) when (e.Reason == ErrorReason.CommitUnavailable)
        {
            return null;
        }

        return found;
    }

    /// <summary>By a read of each key.</summary>
    public static Dictionary<int, SwarmFound> Read(SwarmSeat seat, int keys)
    {
        var found = new Dictionary<int, SwarmFound>();
        for (int key = 0; key < keys; key++)
            if (seat.Read(key) is { } value) found[key] = SwarmFound.Of(value);
        return found;
    }

    private static (int Key, SwarmFound Value) Decode(RecordView record) =>
        (SwarmSeat.KeyOf(record.Key), SwarmFound.Of(record.Value));
}
