using System.Text.Json;
using Bank.Commands;

namespace Bank.Tests;

/// <summary>Runs the program in this process; the processes that it kills are its own.</summary>
internal sealed record ProgramRun(int Code, string Output, string Error)
{
    /// <summary>The output as JSON.</summary>
    public JsonElement Json => JsonDocument.Parse(Output).RootElement;

    public static async Task<ProgramRun> OfAsync(params string[] args)
    {
        using StringWriter output = new(), error = new();
        int code = await BankCommand.RunAsync(args, new Terminal(output, error, IsInteractive: false));
        return new ProgramRun(code, output.ToString(), error.ToString());
    }
}
