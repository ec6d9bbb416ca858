using System.Diagnostics;
using Faster.Workload.Experiments;
using Faster.Ycsb.Reports;
using Spectre.Console;

namespace Faster.Ycsb.Running;

/// <summary>Tells on standard error which step runs and what each one gave.</summary>
internal sealed class Progress
{
    private const int WidthOfPlainLines = 10_000; // a line of a log is never wrapped

    private readonly IAnsiConsole _console;
    private readonly StatusContext _status;
    private readonly int _steps;
    private readonly long _start = Stopwatch.GetTimestamp();
    private int _step;

    private Progress(IAnsiConsole console, StatusContext status, int steps)
    {
        _console = console;
        _status = status;
        _steps = steps;
    }

    /// <summary>Shows progress while something runs.</summary>
    public static async Task<T> ShowAsync<T>(int steps, Func<Progress, Task<T>> run)
    {
        IAnsiConsole console = Open();
        return await console.Status().StartAsync("Starting", status => run(new Progress(console, status, steps)));
    }

    /// <summary>Measures one step after the other in this process, and tells of each.</summary>
    /// <param name="steps">The steps.</param>
    /// <param name="nameOf">What a step is called.</param>
    /// <param name="measure">Carries one out.</param>
    /// <param name="cancellationToken">Stops between two steps.</param>
    public static Task<List<TResult>> MeasureAsync<TStep, TResult>(
        IReadOnlyList<TStep> steps, Func<TStep, string> nameOf, Func<TStep, Task<TResult>> measure,
        CancellationToken cancellationToken)
        where TResult : StepResult =>
        ShowAsync(steps.Count, async progress =>
        {
            List<TResult> results = [];
            foreach (TStep step in steps)
            {
                cancellationToken.ThrowIfCancellationRequested();
                progress.Begin(nameOf(step));
                TResult result = await measure(step);
                results.Add(result);
                progress.End(nameOf(step), Figures.Rate(result.OperationsPerSecond));
            }

            return results;
        });

    /// <summary>Writes a line.</summary>
    public static void Note(string text) => Open().MarkupLineInterpolated($"[yellow]{text}[/]");

    /// <summary>Writes an error.</summary>
    public static void Error(string text) => Open().MarkupLineInterpolated($"[red]Error:[/] {text}");

    /// <summary>Says that a step begins.</summary>
    public void Begin(string step)
    {
        _step++;
        _status.Status(Markup.Escape($"{_step} of {_steps}: {step}{Left()}"));
    }

    /// <summary>Says what the step has given.</summary>
    public void End(string step, string result) => _console.MarkupLineInterpolated($"[grey]{step}:[/] {result}");

    private static IAnsiConsole Open()
    {
        bool isPlain = Console.IsErrorRedirected;
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = new AnsiConsoleOutput(Console.Error),
            Ansi = isPlain ? AnsiSupport.No : AnsiSupport.Detect,
            Interactive = isPlain ? InteractionSupport.No : InteractionSupport.Detect,
        });
        if (isPlain)
            console.Profile.Width = WidthOfPlainLines;
        return console;
    }

    private string Left()
    {
        if (_step < 2)
            return "";
        TimeSpan left = Stopwatch.GetElapsedTime(_start) / (_step - 1) * (_steps - _step + 1);
        return left.TotalMinutes >= 2
            ? $", about {left.TotalMinutes:F0} min left"
            : $", about {left.TotalSeconds:F0} s left";
    }
}
