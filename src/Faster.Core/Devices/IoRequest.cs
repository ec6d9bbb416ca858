namespace Faster.Devices;

/// <summary>What an <see cref="IoRequest"/> asks for.</summary>
public enum IoKind
{
    /// <summary>Read <see cref="IoRequest.Length"/> bytes.</summary>
    Read,

    /// <summary>Write <see cref="IoRequest.Length"/> bytes.</summary>
    Write,
}

/// <summary>
/// One read or write on its way through a <see cref="Device"/>. Owned by the submitter, lent to the device from
/// <see cref="Device.Submit"/> until it comes back out of <see cref="Device.Poll"/>; reusable after.
/// </summary>
/// <remarks>Derive from it to carry what the continuation needs. Not thread-safe: one owner at a time.</remarks>
public unsafe class IoRequest
{
    /// <summary>Read or write.</summary>
    public IoKind Kind { get; set; }

    /// <summary>The first byte on the device; a multiple of its sector size.</summary>
    public long Offset { get; set; }

    /// <summary>Native memory, aligned to the device's sector size.</summary>
    public byte* Buffer { get; set; }

    /// <summary>
    /// The bytes to transfer; a multiple of the sector size, at most <see cref="Device.MaxTransfer"/>.
    /// </summary>
    public int Length { get; set; }

    /// <summary>
    /// Why the transfer failed, or null when all of <see cref="Length"/> was transferred. Set by the device before it
    /// hands the request back; a short transfer is a failure.
    /// </summary>
    public Exception? Error { get; set; }
}
