using Microsoft.Win32.SafeHandles;

namespace Faster.Devices;

/// <summary>One open file of a segmented device.</summary>
/// <remarks>
/// Invariants: the file is open as long as somebody holds the segment; bytes written before <see cref="MarkWritten"/>,
/// which their writer calls before it lets go, are covered by the sync that follows the next <see cref="TakeWritten"/>.
/// Thread-safe.
/// </remarks>
internal sealed class Segment(long number, string path, SafeFileHandle handle, bool unbuffered) : IDisposable
{
    private const int Closed = int.MinValue; // and the number of those who hold it still

    private int _holders;
    private int _written;
    private long _lastUse;
    private volatile bool _unbuffered = unbuffered;

    /// <summary>Its place in the row of segments, from 0.</summary>
    public long Number { get; } = number;

    /// <summary>The file.</summary>
    public string Path { get; } = path;

    /// <summary>The open file.</summary>
    public SafeFileHandle Handle { get; } = handle;

    /// <summary>The system's number of the file, for those who hold it.</summary>
    public int File => (int)Handle.DangerousGetHandle();

    /// <summary>Whether this file bypasses the system's cache.</summary>
    public bool IsUnbuffered
    {
        get => _unbuffered;
        set => _unbuffered = value;
    }

    /// <summary>When it was found last, by the count of its device.</summary>
    public long LastUse
    {
        get => Volatile.Read(ref _lastUse);
        set => Volatile.Write(ref _lastUse, value);
    }

    /// <summary>Whether there may be bytes to sync.</summary>
    public bool IsWritten => Volatile.Read(ref _written) != 0;

    /// <summary>Keeps the file open until <see cref="LetGo"/>, also when it is disposed of meanwhile.</summary>
    /// <returns>False: it is closed.</returns>
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

    /// <summary>Ends a <see cref="TryHold"/>.</summary>
    public void LetGo()
    {
        if (Interlocked.Decrement(ref _holders) == Closed) Handle.Dispose();
    }

    /// <summary>Lets nobody hold it any more, if nobody does; the file is still open for a last sync.</summary>
    public bool TryRetire() => Interlocked.CompareExchange(ref _holders, Closed, 0) == 0;

    /// <summary>Undoes <see cref="TryRetire"/>.</summary>
    public void Revive() => Volatile.Write(ref _holders, 0);

    /// <summary>Says that there are bytes to sync.</summary>
    public void MarkWritten() => Interlocked.Exchange(ref _written, 1);

    /// <summary>Whether there are bytes to sync; the answer is given once.</summary>
    public bool TakeWritten() => Interlocked.Exchange(ref _written, 0) != 0;

    /// <summary>Closes the file, when nobody holds it any more. Idempotent.</summary>
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
