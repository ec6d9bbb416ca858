namespace Faster;

/// <summary>What a fault looks like.</summary>
public enum FaultFlavour
{
    /// <summary>The device reports an I/O error; nothing is transferred.</summary>
    InputOutputError,

    /// <summary>The disk is full; nothing is transferred.</summary>
    NoSpace,

    /// <summary>A part of the bytes is transferred, then the device reports an error.</summary>
    ShortTransfer,
}
