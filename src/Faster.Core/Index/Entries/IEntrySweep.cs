namespace Faster.Index.Entries;

/// <summary>
/// Changes the entries of many hashes in the order in which they lie on the device, so that one read serves many of
/// them. A service of an index whose entries may be on disk.
/// </summary>
/// <remarks>
/// Only an acceleration: whatever a sweep does or fails to do, a change finds the entry, or reads what holds it. Used
/// outside every epoch, by one thread. Not thread-safe.
/// </remarks>
internal interface IEntrySweep : IDisposable
{
    /// <summary>The place of a hash's entry now.</summary>
    long PlaceOf(ulong hash);

    /// <summary>
    /// Brings the entries at some places into memory, a few at a time, and has them changed. Waits for the device.
    /// </summary>
    /// <param name="places">The places, in ascending order.</param>
    /// <param name="change">
    /// Changes the entries from one index of <paramref name="places"/> up to another one, which is not included.
    /// </param>
    void Run(ReadOnlySpan<long> places, Action<int, int> change);
}
