using Faster.Invariants;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices.Segments;

/// <summary>One open file of a segmented device.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The file is open as long as any thread holds the segment.</item>
/// <item>Bytes written before <see cref="MarkWritten"/>, which their writer calls before it releases the segment, are
/// covered by the sync that follows the next <see cref="TakeWritten"/>.</item>
/// <item>A hold is released once. A file that is closed, or is about to be, gets no new holders.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class Segment(long number, string path, SafeFileHandle handle, bool unbuffered) : IDisposable
{
    private const int Closed = int.MinValue; // plus the number of remaining holders
    private const int MaxHolders = 1 << 30;

    private int _holders;
    private int _written;
    private long _lastUse;
    private volatile bool _unbuffered = unbuffered;

    /// <summary>The number of the segment, from 0.</summary>
    public long Number { get; } = number;

    /// <summary>The path of the file.</summary>
    public string Path { get; } = path;

    /// <summary>The open file.</summary>
    public SafeFileHandle Handle { get; } = handle;

    /// <summary>The system's number of the file; valid for holders.</summary>
    public int File => (int)Handle.DangerousGetHandle();

    /// <summary>Whether this file bypasses the system's cache.</summary>
    public bool IsUnbuffered
    {
        get => _unbuffered;
        set => _unbuffered = value;
    }

    /// <summary>When a request last found it, by its device's counter.</summary>
    public long LastUse
    {
        get => Volatile.Read(ref _lastUse);
        set => Volatile.Write(ref _lastUse, value);
    }

    /// <summary>Whether there may be bytes to sync.</summary>
    public bool IsWritten => Volatile.Read(ref _written) != 0;

    /// <summary>Keeps the file open until <see cref="Release"/>, even if it is disposed of meanwhile.</summary>
    /// <returns>False: the file is closed.</returns>
    public bool TryHold()
    {
        for (int holders = Volatile.Read(ref _holders); holders >= 0;)
        {
            int seen = Interlocked.CompareExchange(ref _holders, holders + 1, holders);
            if (seen == holders) return true;
            holders = seen;
        }

        return false;
    }

    /// <summary>Ends one <see cref="TryHold"/>.</summary>
    public void Release()
    {
        int left = Interlocked.Decrement(ref _holders);
        Invariant.Check(
            left >= 0 ? left < MaxHolders : left < Closed + MaxHolders,
            $"segment {Number} is released as often as it is held: {left}");
        if (left == Closed) Handle.Dispose();
    }

    /// <summary>Prevents further holds if there is no holder; the file is still open for a last sync.</summary>
    public bool TryRetire() => Interlocked.CompareExchange(ref _holders, Closed, 0) == 0;

    /// <summary>Undoes <see cref="TryRetire"/>.</summary>
    public void Revive()
    {
        int holders = Volatile.Read(ref _holders);
        Invariant.Check(holders == Closed, $"segment {Number} is revived after it was retired: {holders}");
        Volatile.Write(ref _holders, 0);
    }

    /// <summary>Records that there are bytes to sync.</summary>
    public void MarkWritten() => Interlocked.Exchange(ref _written, 1);

    /// <summary>Whether there are bytes to sync; clears the mark.</summary>
    public bool TakeWritten() => Interlocked.Exchange(ref _written, 0) != 0;

    /// <summary>Closes the file as soon as there is no holder. Idempotent.</summary>
    public void Dispose()
    {
        for (int holders = Volatile.Read(ref _holders); holders >= 0;)
        {
            int seen = Interlocked.CompareExchange(ref _holders, holders + Closed, holders);
            if (seen == holders) break;
            holders = seen;
        }

        if (Volatile.Read(ref _holders) == Closed) Handle.Dispose();
    }
}
