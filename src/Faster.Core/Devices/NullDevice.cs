using System.ComponentModel;

namespace Faster.Devices;

/// <summary>
/// A device that stores nothing: writes succeed and their bytes are dropped, reads fail with a
/// <see cref="StorageException"/>.
/// </summary>
/// <remarks>For measurements of everything except the disk. Thread-safe as <see cref="Device"/> requires.</remarks>
/// <param name="sectorSize">The unit of transfers in bytes, a power of two from 512.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class NullDevice(int sectorSize = 512) : Device
{
    private readonly CompletionQueue _completions = new();

    /// <inheritdoc/>
    public override int SectorSize { get; } = RequestCheck.SectorSize(sectorSize);

    /// <inheritdoc/>
    public override string Name => "null";

    /// <inheritdoc/>
    public override void Submit(ReadOnlySpan<IORequest> requests)
    {
        foreach (IORequest request in requests)
        {
            request.Error = RequestCheck.Find(request, this) ?? (request.Kind == IOKind.Read
                ? DeviceErrors.Refused(request, Name, "this device stores nothing. Give the store a folder instead.")
                : null);
            _completions.Post(request);
        }
    }

    /// <inheritdoc/>
    public override int Poll(Span<IORequest> completed) => _completions.Poll(completed);

    /// <inheritdoc/>
    public override bool Wait(TimeSpan timeout) => _completions.Wait(timeout);

    /// <inheritdoc/>
    public override void Wake() => _completions.Wake();

    /// <summary>Does nothing, because the device stores nothing.</summary>
    public override void Sync() { }

    /// <summary>Checks the offset and does nothing else, because the device stores nothing.</summary>
    public override void TruncateBelow(long offset) => ArgumentOutOfRangeException.ThrowIfNegative(offset);

    /// <inheritdoc/>
    protected override void Dispose(bool disposing) { }
}
