namespace Samples;

/// <summary>What a program tells its caller.</summary>
internal static class ExitCode
{
    /// <summary>Done, and verified where asked to.</summary>
    public const int Ok = 0;

    /// <summary>What the store holds is not what it should hold.</summary>
    public const int Different = 1;

    /// <summary>
    /// An argument or the input is unusable, or the store could not do its work; nothing was reported.
    /// </summary>
    public const int Failed = 2;

    /// <summary>What lies in the data folder is damaged; the message names the file and the byte.</summary>
    public const int Damaged = 3;

    /// <summary>Stopped by the user, as shells number it.</summary>
    public const int Interrupted = 130;
}
