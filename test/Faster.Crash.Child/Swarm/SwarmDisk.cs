using Faster.Crash.Disk;
using Faster.Devices.Folders;

namespace Faster.Crash.Swarm;

/// <summary>A disk in memory, which crashes at one of its calls: power cuts, and kills.</summary>
internal sealed class SwarmDisk(int seed, SwarmTally counters) : ISwarmMedium
{
    private const int MaxCalls = 4_000;

    private readonly Random _random = new(seed);
    private CrashDisk _disk = new() { Reordering = new Random(seed) };

    /// <inheritdoc/>
    public bool HasCrashed => _disk.IsStopped;

    /// <inheritdoc/>
    public StoreFiles Mount()
    {
        // Also early: within an opening, or in the first commits.
        _disk.StopAt = _random.Next(4) == 0
            ? long.MaxValue
            : _disk.Boundaries + _random.Next(1 << _random.Next(4, 31 - int.LeadingZeroCount(MaxCalls)));
        return _disk.Mount();
    }

    /// <inheritdoc/>
    public void GoOn()
    {
        bool power = _random.Next(3) != 0;
        counters.Add(power ? SwarmCount.PowerCuts : SwarmCount.Kills);
        CrashDisk after = power
            ? _disk.CrashState(_random.Next())
            : _disk.KillState(_random.Next(), _disk.Events.Count);
        after.Reordering = new Random(seed);
        _disk = after;
    }

    /// <inheritdoc/>
    public void Dispose() { }
}
