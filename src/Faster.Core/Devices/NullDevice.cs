using Faster.Devices;

namespace Faster;

/// <summary>
/// A device that forgets: writes succeed and vanish, reads fail with a <see cref="StorageException"/>.
/// </summary>
/// <remarks>For measuring everything but the disk. Thread-safe as <see cref="Device"/> says.</remarks>
/// <param name="sectorSize">The unit of transfers in bytes, a power of two from 512.</param>
public sealed class NullDevice(int sectorSize = 512) : Device
{
    private readonly CompletionQueue _completions = new();

    /// <inheritdoc/>
    public override int SectorSize { get; } = RequestCheck.SectorSize(sectorSize);

    /// <inheritdoc/>
    public override string Name => "null";

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IoRequest> requests)
    {
        foreach (IoRequest request in requests)
        {
            request.Error = RequestCheck.Find(request, this) ?? (request.Kind == IoKind.Read
                ? DeviceErrors.Refused(request, Name, "this device keeps nothing. Give the store a folder instead.")
                : null);
            _completions.Post(request);
        }
    }

    /// <inheritdoc/>
    public override int Poll(Span<IoRequest> completed) => _completions.Poll(completed);

    /// <inheritdoc/>
    public override bool Wait(TimeSpan timeout) => _completions.Wait(timeout);

    /// <inheritdoc/>
    public override void Wake() => _completions.Wake();

    /// <summary>Does nothing: there is nothing to keep.</summary>
    public override void Sync() { }

    /// <summary>Does nothing: there is nothing to give up.</summary>
    public override void TruncateBelow(long offset) => ArgumentOutOfRangeException.ThrowIfNegative(offset);

    /// <inheritdoc/>
    protected override void Dispose(bool disposing) { }
}
