namespace Samples;

/// <summary>Where a program writes: results to one writer, progress and errors to the other.</summary>
/// <param name="Output">Results.</param>
/// <param name="Error">Progress and errors.</param>
/// <param name="IsInteractive">Whether the error writer is a terminal, whose last line can be rewritten.</param>
internal sealed record Terminal(TextWriter Output, TextWriter Error, bool IsInteractive)
{
    /// <summary>The one of this process.</summary>
    public static Terminal OfProcess => new(Console.Out, Console.Error, !Console.IsErrorRedirected);
}
