using System.ComponentModel;

namespace Faster.Devices;

/// <summary>The kind of an <see cref="IORequest"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum IOKind
{
    /// <summary>Read <see cref="IORequest.Length"/> bytes.</summary>
    Read,

    /// <summary>Write <see cref="IORequest.Length"/> bytes.</summary>
    Write,
}

/// <summary>
/// One read or write through a <see cref="Device"/>. Owned by the submitter, and by the device from
/// <see cref="Device.Submit"/> until <see cref="Device.Poll"/> returns it; reusable afterwards.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>It has one owner at a time, and only the owner changes it or touches its buffer.</item>
/// <item>A request is submitted again only after it has been polled.</item>
/// </list>
/// <para>Derive from it to carry what the continuation needs. Not thread-safe.</para>
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public unsafe class IORequest
{
    /// <summary>Whether to read or to write.</summary>
    public IOKind Kind { get; set; }

    /// <summary>The offset of the first byte on the device; a multiple of its sector size.</summary>
    public long Offset { get; set; }

    /// <summary>The native memory of the transfer, aligned to the device's sector size.</summary>
    public byte* Buffer { get; set; }

    /// <summary>
    /// The bytes to transfer; a multiple of the sector size, at most <see cref="Device.MaxTransfer"/>.
    /// </summary>
    public int Length { get; set; }

    /// <summary>
    /// The reason why the transfer failed, or null when all of <see cref="Length"/> was transferred. Set by the device
    /// before it returns the request; a short transfer is a failure.
    /// </summary>
    public Exception? Error { get; set; }
}
