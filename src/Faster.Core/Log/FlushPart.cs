using Faster.Devices;

namespace Faster.Log;

/// <summary>A part of a page that is written, with its buffer, which is used for one part after another.</summary>
/// <remarks>Owned by its flusher, or by the device while it is written.</remarks>
internal sealed unsafe class FlushPart : LogRequest
{
    private readonly Action<FlushPart> _onWritten;

    /// <summary>Makes one without content.</summary>
    /// <param name="onWritten">Called when the device has written it, or has failed to.</param>
    /// <param name="buffer">Its buffer.</param>
    public FlushPart(Action<FlushPart> onWritten, byte* buffer)
    {
        _onWritten = onWritten;
        Buffer = buffer;
        Kind = IOKind.Write;
    }

    /// <summary>The address of its first byte.</summary>
    public long From { get; set; }

    /// <summary>The address after its last byte.</summary>
    public long Until { get; set; }

    /// <summary>Whether it is written again, after it could not be.</summary>
    public bool IsRetry { get; set; }

    /// <inheritdoc/>
    public override void OnCompleted() => _onWritten(this);
}
