using Microsoft.Win32.SafeHandles;

namespace Faster.Devices;

/// <summary>One open file of a segmented device.</summary>
/// <remarks>
/// Invariant: bytes written before <see cref="MarkWritten"/> are covered by the sync that follows the next
/// <see cref="TakeWritten"/>. Thread-safe; a handle closed under a transfer stays valid until that system call returns.
/// </remarks>
internal sealed class Segment(long number, string path, SafeFileHandle handle, bool unbuffered) : IDisposable
{
    private int _written;
    private volatile bool _unbuffered = unbuffered;

    /// <summary>Its place in the row of segments, from 0.</summary>
    public long Number { get; } = number;

    /// <summary>The file.</summary>
    public string Path { get; } = path;

    /// <summary>The open file.</summary>
    public SafeFileHandle Handle { get; } = handle;

    /// <summary>Whether this file bypasses the system's cache.</summary>
    public bool IsUnbuffered
    {
        get => _unbuffered;
        set => _unbuffered = value;
    }

    /// <summary>Keeps the file open until <see cref="LetGo"/>, also when it is disposed of meanwhile.</summary>
    /// <returns>The system's number of the file.</returns>
    /// <exception cref="ObjectDisposedException">The segment was given up.</exception>
    public int Hold()
    {
        bool held = false;
        Handle.DangerousAddRef(ref held);
        return (int)Handle.DangerousGetHandle();
    }

    /// <summary>Ends a <see cref="Hold"/>.</summary>
    public void LetGo() => Handle.DangerousRelease();

    /// <summary>Says that there are bytes to sync.</summary>
    public void MarkWritten() => Interlocked.Exchange(ref _written, 1);

    /// <summary>Whether there are bytes to sync; the answer is given once.</summary>
    public bool TakeWritten() => Interlocked.Exchange(ref _written, 0) != 0;

    /// <summary>Closes the file.</summary>
    public void Dispose() => Handle.Dispose();
}
