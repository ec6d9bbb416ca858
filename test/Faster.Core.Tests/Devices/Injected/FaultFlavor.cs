namespace Faster.Testing;

/// <summary>The kind of a failure.</summary>
public enum FaultFlavor
{
    /// <summary>The device reports an I/O error; nothing is transferred.</summary>
    InputOutputError,

    /// <summary>The disk is full; nothing is transferred.</summary>
    NoSpace,

    /// <summary>Some of the bytes are transferred, then the device reports an error.</summary>
    ShortTransfer,
}
